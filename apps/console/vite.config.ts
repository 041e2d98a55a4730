// How the console is built (npm run build), and served while it is written (npm run console).

import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server replaces it in every answer; see apps/server/src/console. */
const nonceMark = '__NONCE__';

const server = process.env.PILOTHOUSE_URL ?? 'http://127.0.0.1:4000';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  // Vite's own server sends no policy.
  html: command === 'build' ? { cspNonce: nonceMark } : {},
  build: { manifest: true, target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  worker: { format: 'es' as const },
  // The server refuses commands from pages of another origin than its own.
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } },
}));
