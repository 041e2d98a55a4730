// Logs in with a name and a password. Tokens are renewed by themselves, and end with the program.
import { createLogin } from '@pilothouse/sdk';
import { url } from './settings.ts';

const login = createLogin({ baseUrl: url });
const user = await login.login({
  username_or_email: process.env.EXAMPLE_USER ?? 'ada',
  password: process.env.EXAMPLE_PASSWORD ?? '',
});
console.log(`hello ${user.username}`);
const { key } = await login.client.createKey({ label: 'a program' });
console.log(`a key for programs: ${key.key_token.slice(0, 4)}…`);
await login.client.deleteKey({ id: key.id });
await login.logout();
await login.close();
