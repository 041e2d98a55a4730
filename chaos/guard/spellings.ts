// Ways to write "this machine" that some program somewhere reads as such.

/** Names that the guard's resolver answers; the second answer, where there is one, is given to the next question. */
export const PUBLIC = '93.184.216.34';
export const answers: Record<string, readonly (readonly string[])[]> = {
  'loop.test': [['127.0.0.1']],
  'loop6.test': [['::1']],
  'far-loop.test': [['127.2.3.4']],
  'both.test': [['127.0.0.1', '::1']],
  'mixed.test': [[PUBLIC, '127.0.0.1']],
  'mixed-first.test': [['127.0.0.1', PUBLIC]],
  'mixed6.test': [[PUBLIC, '::1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'mapped-hex.test': [['::ffff:7f00:1']],
  'translated.test': [['64:ff9b::7f00:1']],
  'compatible.test': [['::127.0.0.1']],
  'six-to-four.test': [['2002:7f00:1::']],
  'nothing.test': [['0.0.0.0']],
  'nothing6.test': [['::']],
  'many.test': [[PUBLIC, PUBLIC, PUBLIC, '127.0.0.1', PUBLIC]],
};

/** Names whose answer is public when it is checked and this machine when it is asked for again. */
export const changing: Record<string, readonly (readonly string[])[]> = {
  'changing.test': [[PUBLIC], ['127.0.0.1']],
  'changing6.test': [[PUBLIC], ['::1']],
  'changing-mixed.test': [[PUBLIC], [PUBLIC, '127.0.0.1']],
};

/** 127.x addresses that something must listen on, or a hit would not be seen. */
export const farLoopback = ['127.0.1.1', '127.2.3.4', '127.1.1.1', '127.127.127.127', '127.255.255.254'];

/** Hosts, each as it stands in an address before the port. */
export function spellings(): string[] {
  const all = [
    ...['127.0.0.1', ...farLoopback, '0.0.0.0'].flatMap(spellingsOfIpv4),
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0:1]', '[0::1]', '[::0001]'],
    ...['[::]', '[0:0:0:0:0:0:0:0]', '[::0]', '[0::0]'],
    ...[
      '[::ffff:127.0.0.1]',
      '[::FFFF:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:7F00:0001]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
    ],
    ...['[0000:0000:0000:0000:0000:ffff:7f00:0001]', '[::ffff:127.2.3.4]', '[::ffff:0.0.0.0]', '[::ffff:0:0]'],
    ...['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]'],
    ...['[2002:7f00:1::]', '[2002:7f00:0001::1]', '[2001:0:7f00:1::80ff:fffe]', '[::0.0.0.0]'],
    ...['localhost', 'LOCALHOST', 'LocalHost', 'localhost.', 'LOCALHOST.', 'foo.localhost', 'a.b.localhost.'],
    ...['Foo.LocalHost', 'x--y.localhost', '127.0.0.1.localhost', 'public.test.localhost', 'example.com.localhost'],
    ...[
      '%6c%6f%63%61%6c%68%6f%73%74',
      'local%68ost',
      'l%6Fcalhost',
      'ｌｏｃａｌｈｏｓｔ',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      'lo\u00adcalhost',
    ],
    ...['localhost%2e', 'localhost。', 'foo。localhost', 'ℒocalhost', 'loc\u200balhost'],
    ...['public.test@127.0.0.1', 'public.test:80@127.0.0.1', 'user:pass@localhost', 'public.test%40x@127.0.0.1'],
    ...[
      'public.test%2f@127.1',
      'http:%2f%2fpublic.test@[::1]',
      'public.test%00@0x7f000001',
      '@127.0.0.1',
      ':@localhost',
    ],
    ...Object.keys(answers),
    ...[
      'LOOP.test',
      'loop.test.',
      'l%6fop.test',
      'ｌｏｏｐ.test',
      'loop。test',
      'public.test@loop.test',
      'a:b@both.test',
    ],
  ];
  // What no browser takes for an address is no way in.
  return [...new Set(all)].filter((host) => URL.canParse(`http://${host}:8080/`));
}

function spellingsOfIpv4(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (n: number, zeros = '0') => `${zeros}${n.toString(8)}`;
  const hex = (n: number) => `0x${n.toString(16)}`;
  return [
    address,
    `${address}.`,
    `${whole}`,
    `${whole}.`,
    octal(whole),
    octal(whole, '00000'),
    hex(whole),
    hex(whole).toUpperCase(),
    `0x${whole.toString(16).padStart(8, '0')}`,
    `0x0000${whole.toString(16).padStart(8, '0')}`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map((n) => octal(n)).join('.'),
    [a, b, c, d].map((n) => octal(n, '000')).join('.'),
    [hex(a), octal(b), c, d].join('.'),
    [a, b * 65_536 + c * 256 + d].join('.'),
    [hex(a), hex(b * 65_536 + c * 256 + d)].join('.'),
    [octal(a), octal(b * 65_536 + c * 256 + d)].join('.'),
    [a, b, c * 256 + d].join('.'),
    [hex(a), b, octal(c * 256 + d)].join('.'),
    [...address].map((sign) => (sign === '.' ? '.' : String.fromCharCode(sign.charCodeAt(0) + 0xfee0))).join(''),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '｡'),
    address.replaceAll('.', '%2e'),
    [...address].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(''),
    [...address].map((sign) => (/[1-9]/.test(sign) ? String.fromCharCode(0x245f + Number(sign)) : sign)).join(''),
  ];
}
