// npm run bus -- list|admit|remove [server|agent|host <id>] [--name N]: who may sign in to the bus of a stack. Prints one
// JSON line; that of `admit` holds the password, and is the only time it is shown.
import { parseArgs } from 'node:util';
import { type Member, membersOf, roles, userOf } from '@pilothouse/bus';
import { createServices } from '../testkit/stack/services.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string', default: 'dev' } },
});
const [command, roleName, id = ''] = positionals;
const services = createServices(values.name);

const member = (): Member => {
  const role = roles.find((one) => one === roleName);
  if (!role) throw new Error(`name a role: ${roles.join(', ')}`);
  userOf({ role, id });
  return { role, id };
};

const commands: Record<string, () => Promise<object>> = {
  list: async () => ({ users: membersOf(services.bus().passwords).map(userOf) }),
  admit: async () => ({ url: services.bus().url, ...(await services.admit(member())) }),
  remove: async () => {
    await services.remove(member());
    return { removed: userOf(member()) };
  },
};

const run = commands[command ?? ''];
if (!run) {
  console.error(`usage: npm run bus -- ${Object.keys(commands).join('|')} [${roles.join('|')} <id>] [--name N]`);
  process.exit(2);
}
console.log(JSON.stringify({ name: values.name, ...(await run()) }));
