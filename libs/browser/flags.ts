/**
 * How Chromium is started: what closes every way out but the proxy, what bounds it, what keeps it quiet. The flags
 * are the first layer; a page that gets past a script of ours still meets these.
 */
import type { LaunchOptions } from 'playwright-core'
import type { Executable } from './executable.ts'

export type LaunchSettings = {
  executable: Executable
  /** The only way out, as `http://127.0.0.1:3128`. */
  proxy: { server: string }
  sandbox: boolean
  /** Pages at once. */
  size: number
  /** Base64 of the SHA-256 of public keys that are trusted without a known authority. */
  trustedKeys?: readonly string[]
  /** A folder of this browser's own, for its home and its temporary files. */
  folder: string
}

/**
 * Without it Chromium dials loopback and link-local addresses by itself, past the proxy. Playwright adds it too, but
 * not in each case, so it is named here.
 */
export const proxyBypass = '<-loopback>'

const megabytesOfScript = 512
/** Renderers of each page at once: its own, the one before it while it ends, and those of one opened ahead. */
const renderersPerPage = 4

/** Playwright's own that a hostile page would like. */
const unwanted = [
  '--disable-popup-blocking',
  '--disable-ipc-flooding-protection',
  '--enable-unsafe-swiftshader',
]

/** Chromium takes the last list that it is given, so Playwright's own is in here too. */
const disabledFeatures = [
  ...[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'PaintHolding',
  ],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  ...['PreconnectToSearch', 'AsyncDns', 'DnsOverHttps', 'Translate', 'InterestFeedContentSuggestions'],
  ...[
    'Prerender2',
    'Prerender2InHeadlessMode',
    'SpeculationRulesPrefetch',
    'SpeculativePreconnect',
    'LoadingPredictor',
  ],
  ...[
    'AutofillServerCommunication',
    'CertificateTransparencyComponentUpdater',
    'Reporting',
    'NetworkErrorLogging',
  ],
  ...[
    'WebBluetooth',
    'WebUSB',
    'WebRtcHideLocalIpsWithMdns',
    'GlobalMediaControls',
    'DialMediaRouteProvider',
  ],
  'BackForwardCache',
  ...['site-per-process', 'IsolateOrigins', 'IsolateSandboxedIframes', 'OriginKeyedProcessesByDefault'],
]

const fixed = [
  // No way out but the proxy.
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Nothing that it fetches for itself.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-client-side-phishing-detection',
  '--disable-domain-reliability',
  '--dns-prefetch-disable',
  '--disable-sync',
  '--no-pings',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
  // Nothing that opens.
  '--block-new-web-contents',
  '--disable-notifications',
  '--disable-speech-api',
  '--deny-permission-prompts',
  '--disable-print-preview',
  // No word that it is steered; no script that lives beside pages, where nobody judges its requests.
  '--disable-blink-features=AutomationControlled,SharedWorker',
  // Nothing that a machine without a screen could do well.
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-3d-apis',
  '--font-render-hinting=none',
  // All frames of a page in one process, and so behind one judge of requests: a frame of another site with a process
  // of its own would have a session of its own. Contexts never share a process, so jobs stay apart.
  '--disable-site-isolation-trials',
  // Bounds.
  `--js-flags=--max-old-space-size=${megabytesOfScript}`,
]

/** @param bypass what may be dialled without the proxy; only a test says anything but the default */
export function launchOptions(settings: LaunchSettings, bypass = proxyBypass): LaunchOptions {
  const { executable, proxy, sandbox, size, trustedKeys = [], folder } = settings
  const { hostname } = new URL(proxy.server)
  return {
    executablePath: executable.path,
    headless: true,
    chromiumSandbox: sandbox,
    // A service ends itself; Playwright would end the browser first, under its feet.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 20_000,
    artifactsDir: folder,
    proxy: { server: proxy.server, bypass },
    // Nothing of our own environment: it may hold secrets, and a page may hold the browser.
    env: {
      ...executable.env,
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TMPDIR: folder,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
    },
    ignoreDefaultArgs: unwanted,
    args: [
      ...fixed,
      `--disable-features=${disabledFeatures.join(',')}`,
      `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${hostname.replace(/^\[|\]$/g, '')}`,
      `--renderer-process-limit=${size * renderersPerPage}`,
      ...(trustedKeys.length > 0 ? [`--ignore-certificate-errors-spki-list=${trustedKeys.join(',')}`] : []),
    ],
  }
}
