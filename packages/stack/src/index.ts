// Starts a whole installation on one machine, in a checkout or from packages.

export { demoExamples } from './demo/examples.ts';
export { type Shop, startShop } from './demo/shop.ts';
export { claimFolder, type Local, LocalFailure, type LocalOptions, startLocal } from './local/local.ts';
export { fetchChromium, findChromium } from './programs/chromium.ts';
export { chromiumHint, inspectMachine, type MachineFinding } from './programs/machine.ts';
export { createStack, type Stack } from './stack/stack.ts';
