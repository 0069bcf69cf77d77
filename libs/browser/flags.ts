/**
 * Declares Chromium's flags: they restrict it to the proxy, bound its resources and disable background requests. A
 * page that evades our scripts is still subject to them.
 */
import type { LaunchOptions } from 'playwright-core'
import type { Executable } from './executable.ts'

export type LaunchSettings = {
  executable: Executable
  /** The only network access, at an IP address and without a login, as `http://127.0.0.1:3128`. */
  proxy: { server: string }
  /** Chromium's own sandbox; it does not work for root. */
  sandbox: boolean
  /** Maximum number of concurrent jobs, each with a page. */
  size: number
  /** Base64 of the SHA-256 of public keys that are trusted without a known authority. */
  trustedKeys?: readonly string[]
  /** A folder for this browser only, for its home and its temporary files. */
  folder: string
}

/**
 * The proxy bypass list. Without this entry, Chromium connects to loopback and link-local addresses directly, past the
 * proxy. Playwright adds it in most cases only, so it is set here.
 */
export const proxyBypass = '<-loopback>'

const megabytesOfScript = 512
/** Concurrent renderers of each page: its own, the previous one while it ends, and those of a prewarmed tab. */
const renderersPerPage = 4

/** Default flags of Playwright that are not used, because a hostile page could exploit them. */
const unwanted = [
  '--disable-popup-blocking',
  '--disable-ipc-flooding-protection',
  '--enable-unsafe-swiftshader',
]

/** Chromium uses only the last list, so it includes Playwright's own. */
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
  // No network access except the proxy.
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // No requests of the browser itself.
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
  // No windows and dialogs.
  '--block-new-web-contents',
  '--disable-notifications',
  '--disable-speech-api',
  '--deny-permission-prompts',
  '--disable-print-preview',
  // No automation flag, and no shared workers, whose requests bypass interception.
  '--disable-blink-features=AutomationControlled,SharedWorker',
  // No features that need a screen.
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-3d-apis',
  '--font-render-hinting=none',
  // All frames of a page share one process, and so one request interceptor: a frame of another site with its own
  // process would have its own session. Contexts never share a process, so jobs stay isolated.
  '--disable-site-isolation-trials',
  // The maximum memory of the scripts.
  `--js-flags=--max-old-space-size=${megabytesOfScript}`,
]

/**
 * Returns the options with which Playwright starts Chromium.
 * @param bypass hosts that bypass the proxy; only tests change the default
 */
export function launchOptions(settings: LaunchSettings, bypass = proxyBypass): LaunchOptions {
  const { executable, proxy, sandbox, size, trustedKeys = [], folder } = settings
  const { hostname } = new URL(proxy.server)
  return {
    executablePath: executable.path,
    headless: true,
    chromiumSandbox: sandbox,
    // The service handles signals itself; otherwise Playwright would close the browser first.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 20_000,
    artifactsDir: folder,
    proxy: { server: proxy.server, bypass },
    // Passes none of our environment: it may contain secrets, and a page may compromise the browser.
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
