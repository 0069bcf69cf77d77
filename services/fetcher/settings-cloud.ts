/** What can be set of the ways to get a page beyond plain HTTP. */
import os from 'node:os'
import path from 'node:path'
import { resourceKinds } from '@tidemark/browser/job'
import { readProxy } from '@tidemark/http/proxy'
import { Type } from 'typebox'
import { apiAddressFault } from './adapters/json-api.ts'

/** In place of an address of SEARCH_URL. */
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
  FETCH_LANES: Type.Array(Type.Union([Type.Literal('http'), Type.Literal('browser')]), {
    default: ['http', 'browser'],
    description:
      'What this process does: http (all orders of crawls, scans and searches that need no browser), browser (renders pages, those of crawls too), or both. So each can be given machines of its own.',
  }),
  BROWSER: Type.String({
    default: 'auto',
    description:
      'The Chromium that renders pages. auto: one of the machine, else the one that comes from npm. off: none, and what needs one is refused as not_configured. Anything else: the path of one.',
  }),
  BROWSER_HOME: Type.String({
    default: '',
    whenUnset: () => path.join(os.homedir(), '.cache', 'tidemark'),
    description:
      'Folder that the Chromium from npm is unpacked to when it is first needed; nobody else should be able to write there. Unset: .cache/tidemark in the home directory.',
  }),
  EGRESS_PROXY: Type.String({
    default: '',
    check: egressProxyFault,
    description:
      'The egress proxy that browsers leave by, as `http://browser:PASSWORD@host:3128`: for machines that the network lets out nowhere else. It may lie anywhere, by an address or a name that is whole (in Kubernetes `egress.tidemark.svc.cluster.local`), for it is asked for without a search list; what lies behind it is judged here and there. Unset: they leave by this process.',
  }),
  BROWSER_POOL: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    description: 'Pages that one process renders at once. Each takes a few hundred megabytes at most.',
  }),
  BROWSER_BLOCK: Type.Array(Type.Union(resourceKinds.map(kind => Type.Literal(kind))), {
    default: [],
    description: `Kinds of resources that rendered pages do without: ${resourceKinds.join(', ')}. Images and fonts are missed in pictures only.`,
  }),
  RENDER_TIMEOUT_MS: Type.Integer({
    default: 60_000,
    minimum: 1_000,
    maximum: 120_000,
    description: 'Longest time for one page to be rendered, however long its asker would wait.',
  }),
  RENDER_MAX_BYTES: Type.Integer({
    default: 64 * 1024 ** 2,
    minimum: 1024 ** 2,
    description: 'Bytes that one rendered page may move, with all that it loads; its connections then end.',
  }),
  VENDOR_URL: Type.String({
    default: '',
    check: (text: string) => (text === '' ? null : apiAddressFault(text)),
    description:
      'Address of the API of a vendor of browsers and proxies (as spider.cloud has it), such as https://api.vendor.example. It may lie anywhere; a name must be whole, as that of EGRESS_PROXY. Unset: there is none.',
  }),
  VENDOR_KEY: Type.String({ default: '', description: 'The key that the vendor has given you.' }),
  SEARCH_URL: Type.String({
    default: '',
    check: searchFault,
    description:
      'The search engine: address of a SearXNG (or of what answers like it), such as http://127.0.0.1:8888/search, with the format json allowed there; or vendor, for that of VENDOR_URL. It may lie anywhere; a name must be whole, as that of EGRESS_PROXY. Unset: there is none.',
  }),
}
