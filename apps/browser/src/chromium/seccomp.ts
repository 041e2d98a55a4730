// A filter of system calls over every process of a browser. Chromium filters its renderers by itself, and by design not
// its first process, its zygotes and, in the headless shell, its network service. This filter is on all of them from the
// first instruction, cannot be taken off, and refuses what no browser needs. Chromium's own filters come on top of it.

/** By system call: its number on x86_64 and on arm64. A call that one of the two never had is missing there. */
const refusedCall: Record<string, [x64: number | undefined, arm64: number | undefined]> = {
  // Other processes: their memory and their open files.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Mounts and foreign namespaces. Chromium's sandbox makes namespaces of its own, by clone and unshare, and calls chroot.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Large parts of the kernel in which faults are found again and again.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  personality: [135, 92],
  modify_ldt: [154, undefined],
  // Files past the paths that lead to them.
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  lookup_dcookie: [212, 18],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, undefined],
  get_kernel_syms: [177, undefined],
  query_module: [178, undefined],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  uselib: [134, undefined],
  ustat: [136, undefined],
  sysfs: [139, undefined],
  _sysctl: [156, undefined],
};

/** The kernels of both architectures number their calls alike from 424 on. What is newer than this one is not there. */
const newestCall = { name: 'mseal', number: 462 };

/** Local, IPv4, IPv6, and netlink, by which Chromium learns of changes of the network. */
const socketFamilies = [1, 2, 10, 16];

const architectures = {
  x64: { audit: 0xc000003e, socket: 41, seccomp: 317, column: 0 },
  arm64: { audit: 0xc00000b7, socket: 198, seccomp: 277, column: 1 },
} as const;

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const killProcess = 0x80000000;
const allow = 0x7fff0000;
const refuseWith = (errno: number) => 0x00050000 | errno;

const load = 0x20;
const ifEqual = 0x15;
const ifGreater = 0x25;
const returnOp = 0x06;
/** Where the kernel puts these into what a filter sees. */
const at = { number: 0, architecture: 4, firstArgument: 16 };

export type Filter = {
  /** The program of the filter, as the kernel takes it. */
  bytes: Uint8Array;
  /** The number of the call that puts it on. */
  seccomp: number;
  /** The numbers that it refuses, by name. */
  refused: Record<string, number>;
};

/** The filter for this kind of processor, or undefined where we know none. */
export function seccompFilter(architecture: string = process.arch): Filter | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { audit, socket, seccomp, column } = architectures[architecture];
  const refused = Object.fromEntries(
    Object.entries(refusedCall).flatMap(([name, numbers]) => {
      const number = numbers[column];
      return number === undefined ? [] : [[name, number]];
    }),
  );
  const program = assemble([
    { code: load, value: at.architecture },
    // The same numbers mean other calls in the other modes of a processor.
    { code: ifEqual, value: audit, otherwise: 'kill' },
    { code: load, value: at.number },
    { code: ifGreater, value: newestCall.number, so: 'unknown' },
    ...Object.values(refused).map((number) => ({ code: ifEqual, value: number, so: 'refuse' })),
    { code: ifEqual, value: socket, otherwise: 'allow' },
    { code: load, value: at.firstArgument },
    ...socketFamilies.map((family) => ({ code: ifEqual, value: family, so: 'allow' })),
    { code: returnOp, value: refuseWith(EAFNOSUPPORT) },
    { label: 'allow', code: returnOp, value: allow },
    { label: 'refuse', code: returnOp, value: refuseWith(EPERM) },
    // As a kernel answers that does not have the call yet: programs know what to do then.
    { label: 'unknown', code: returnOp, value: refuseWith(ENOSYS) },
    { label: 'kill', code: returnOp, value: killProcess },
  ]);
  return { bytes: program, seccomp, refused };
}

type Instruction = { code: number; value: number; label?: string; so?: string; otherwise?: string };

/** Eight bytes each: what to do, how many instructions to skip if so and if not, and the value. */
function assemble(instructions: Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  const skip = (from: number, label: string | undefined) =>
    label === undefined ? 0 : instructions.findIndex((one) => one.label === label) - from - 1;
  for (const [index, { code, value, so, otherwise }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    // One byte each: this throws when the filter has grown too long for its jumps.
    bytes.writeUInt8(skip(index, so), index * 8 + 2);
    bytes.writeUInt8(skip(index, otherwise), index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

/**
 * A command that puts the filter on and becomes the program named after it. Perl can make any system call and is a part
 * of every Debian; the process that runs this must not be able to gain rights any more (no_new_privs), or the kernel refuses.
 */
export function filterCommand({ bytes, seccomp }: Filter): string {
  // Flag 4: a filter alone makes no process slower on kernels that would add other guards with it.
  const program = `
$f = pack("H*", "${Buffer.from(bytes).toString('hex')}");
syscall(${seccomp}, 1, 4, pack("S x6 P", length($f) / 8, $f)) == 0 or die "seccomp: $!\\n";
exec {$ARGV[0]} @ARGV or die "cannot start $ARGV[0]: $!\\n";`;
  return `perl -e '${program.replaceAll('\n', ' ').trim()}'`;
}
