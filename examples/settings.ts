// Where the server of the examples is. Without these settings it is the one of `npm run demo`.
export const url = process.env.PILOTHOUSE_URL ?? 'http://127.0.0.1:4000';
export const shopUrl = process.env.SHOP_URL ?? 'http://127.0.0.1:4980/';
/** An API key; a server with authentication disabled needs none. */
export const token = () => process.env.PILOTHOUSE_API_KEY;
