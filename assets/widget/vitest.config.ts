import { defineConfig } from "vitest/config";

// css: styles reach the tests as they are, so that contrast can be measured.
export default defineConfig({ test: { include: ["src/**/*.test.ts"], css: true } });
