// The command line of Chromium.

/**
 * What the browser library would give it: the library drives it, and is made for a Chromium that was started so. A test
 * compares the list with that of the installed library.
 */
export const libraryArgs = [
  '--disable-field-trial-config',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-back-forward-cache',
  '--disable-breakpad',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--no-default-browser-check',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-edgeupdater',
  '--disable-extensions',
  `--disable-features=${[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'TcpPortRandomizationWin',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    'msForceBrowserSignIn',
    'msEdgeUpdateLaunchServicesPreferredVersion',
  ]}`,
  '--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies',
  '--allow-pre-commit-input',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-renderer-backgrounding',
  '--disable-updater-scheduler',
  '--force-color-profile=srgb',
  '--metrics-recording-only',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
  '--no-service-autorun',
  '--disable-search-engine-choice-screen',
  '--unsafely-disable-devtools-self-xss-warnings',
  // Draws WebGL in software.
  '--enable-unsafe-swiftshader',
  '--edge-skip-compat-layer-relaunch',
  '--disable-stack-profiler',
  '--disable-infobars',
  '--disable-sync',
  '--do-not-de-elevate',
  '--headless',
  '--hide-scrollbars',
  '--mute-audio',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

/** How it is driven: by two descriptors that only its parent has. A port would be open to every process of the machine. */
const drivenArgs = ['--remote-debugging-pipe', '--no-startup-window'];

/** Added to the list of the library, since only one list counts. The headless shell does not know this one. */
const moreFeatures = 'NetworkServiceSandbox';

/** Without these Chromium looks for hosts of its maker at every start. */
export const quietArgs = [
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-domain-reliability',
  '--no-pings',
];

/**
 * What makes the guard the only way out of a Chromium. Each of these closes a road that was seen to lead round it, or
 * that would if the one before it failed.
 */
export function guardArgs(guardUrl: string): string[] {
  return [
    // No second proxy and no "direct" after it: when the guard is gone, there is no way out.
    `--proxy-server=${guardUrl}`,
    // Loopback and link-local go round any proxy unless this takes them out of the exceptions.
    '--proxy-bypass-list=<-loopback>',
    // Only the guard asks for names; it alone may be found.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    // Two names, old and new, for: no UDP of pages, for there is no proxy for it.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    // One of them closes the other road of UDP: no QUIC.
    ...quietArgs,
  ];
}

/**
 * Without a graphics card Chromium draws WebGL with a compiler that runs in its GPU process, and takes that process out
 * of its sandbox for it. Everything else is drawn in software, which needs neither.
 */
const drawingArgs = ({ hasWebgl }: { hasWebgl: boolean }): string[] =>
  hasWebgl ? [] : ['--disable-gpu', '--disable-software-rasterizer'];

type Options = {
  /** Where it keeps what it remembers. */
  profile: string;
  /** Without it the browser reaches whatever this machine does. */
  guardUrl: string | undefined;
  hasSandbox: boolean;
  hasWebgl: boolean;
  more: string[];
};

/** Everything that a Chromium is started with. */
export function chromiumArgs({ profile, guardUrl, hasSandbox, hasWebgl, more }: Options): string[] {
  const library = libraryArgs
    .filter((arg) => hasWebgl || arg !== '--enable-unsafe-swiftshader')
    .map((arg) => (arg.startsWith('--enable-features=') ? `${arg},${moreFeatures}` : arg));
  return [
    ...library,
    ...(hasSandbox ? [] : ['--no-sandbox']),
    ...(guardUrl === undefined ? quietArgs : guardArgs(guardUrl)),
    ...drawingArgs({ hasWebgl }),
    ...more,
    `--user-data-dir=${profile}`,
    ...drivenArgs,
  ];
}
