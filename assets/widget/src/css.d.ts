declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.css?raw" {
  const text: string;
  export default text;
}

interface ImportMeta {
  readonly url: string;
}
