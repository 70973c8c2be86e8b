import { defineConfig } from "vitest/config";
import { NOTICE } from "./third-party.ts";

/** Four files with stable names: the daemon embeds exactly these. */
export default defineConfig({
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        codeSplitting: false,
        entryFileNames: "app.js",
        assetFileNames: "app.[ext]",
        postBanner: NOTICE,
      },
    },
  },
  test: { include: ["test/**/*.test.ts"] },
});
