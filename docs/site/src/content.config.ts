// The pages that scripts/docs has prepared. Nothing is written in this folder by hand.

import { defineCollection } from 'astro:content';
import { docsSchema } from '@astrojs/starlight/schema';
import { glob } from 'astro/loaders';

export const collections = {
  docs: defineCollection({ loader: glob({ base: './.pages', pattern: '**/*.md' }), schema: docsSchema() }),
};
