import { render } from "./hosts/anywidget";

export { start } from "./hosts/standalone";
export default { render };
