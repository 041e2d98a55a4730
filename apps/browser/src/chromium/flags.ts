// The command line of Chromium.

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
export const drawingArgs = ({ hasWebgl }: { hasWebgl: boolean }): string[] =>
  hasWebgl ? [] : ['--disable-gpu', '--disable-software-rasterizer'];
