// How the site is built out of the pages that scripts/docs prepares. Loads nothing from other hosts, at build or in a page.
import { readFileSync } from 'node:fs';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';

const sidebar = JSON.parse(readFileSync(new URL('.pages/sidebar.json', import.meta.url), 'utf8'));

export default defineConfig({
  publicDir: '.public',
  // Pictures are copied as they are: the image library would be a download at install.
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Pilothouse',
      description: 'The control plane for browser agents that people can watch, steer and trust.',
      favicon: '/favicon.svg',
      logo: { light: './favicon.svg', dark: './mark-dark.svg', alt: '' },
      sidebar,
      customCss: ['./.pages/tokens.css', './src/site.css'],
      expressiveCode: {
        themes: ['github-dark', 'github-light'],
        // Languages of ours, and of which the highlighter knows none.
        shiki: { langAlias: { script: 'text', ebnf: 'text' } },
        styleOverrides: {
          borderColor: 'var(--line)',
          borderRadius: 'var(--r-3)',
          codeBackground: 'var(--sunken)',
          codeFontFamily: 'var(--mono)',
          frames: {
            shadowColor: 'transparent',
            terminalBackground: 'var(--sunken)',
            terminalTitlebarBackground: 'var(--sunken)',
          },
        },
      },
    }),
  ],
});
