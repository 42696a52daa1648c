import { describe, expect, it } from "vitest";

import { shortNames } from "./modules";

describe("short names", () => {
  it("are the block and the last part", () => {
    const shorten = shortNames(["layers.0.attention.wq", "layers.1.attention.wq", "tok_embeddings"]);
    expect(shorten("layers.1.attention.wq")).toBe("layers.1.wq");
    expect(shorten("tok_embeddings")).toBe("tok_embeddings");
  });

  it("stay whole where two modules would be called the same", () => {
    const shorten = shortNames(["enc.attn.bias", "enc.mlp.bias", "enc.attn.bias", "enc.mlp.up"]);
    expect(shorten("enc.attn.bias")).toBe("enc.attn.bias");
    expect(shorten("enc.mlp.bias")).toBe("enc.mlp.bias");
    expect(shorten("enc.mlp.up")).toBe("enc.up");
  });

  it("leave a module that the graph does not have as it is", () => {
    expect(shortNames([])("enc.attn.bias")).toBe("enc.attn.bias");
  });
});
