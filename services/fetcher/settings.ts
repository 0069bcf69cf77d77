/** Everything that can be set for the fetcher. */
import { blocklist } from '@tidemark/blocklist/settings'
import { connections, egress, redisConnection, secrets } from '@tidemark/config/connections'
import { proxyPoolsFault, proxyPoolsFormat } from '@tidemark/http/proxy-pools'
import { type Static, Type } from 'typebox'
import { cloudSettings } from './settings-cloud.ts'

const connecting = {
  CONNECT_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'Time for a name to be resolved and a connection to be made.',
  }),
}

export const Settings = Type.Object({
  ...connections,
  ...redisConnection,
  ...egress,
  ...secrets,
  ...blocklist,
  ...cloudSettings,
  USER_AGENT: Type.String({
    default: 'Mozilla/5.0 (compatible; Tidemark/0.1; +https://tidemark.dev/bot)',
    description: 'How the crawler introduces itself to the sites it visits, where USER_AGENT_MODE is honest.',
  }),
  USER_AGENT_MODE: Type.Union([Type.Literal('rotate'), Type.Literal('honest')], {
    default: 'rotate',
    description:
      'rotate: each run shows each host the headers of one current browser. honest: those of USER_AGENT. The user agent that a run names wins over both.',
  }),
  PROXY_POOLS: Type.String({
    default: '',
    check: proxyPoolsFault,
    description: `Proxies of this installation, by pool and country. ${proxyPoolsFormat}. They may lie at private addresses; what is fetched by them may not. A name must be whole, as that of EGRESS_PROXY.`,
  }),
  FETCH_IN_FLIGHT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1024,
    description:
      'Requests of crawls under way at once in one process, over all runs; while others wait, no project has more than half of them. A quarter as many more are kept for scans, maps and whatever else somebody waits for.',
  }),
  HOST_CEILING: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 1024,
    description:
      'Requests under way at once at one host from one process, over all runs and scans, whatever concurrency they ask for; a run that has the host to itself may have twice as many. It does not hold for addresses within EGRESS_ALLOW, which are your own.',
  }),
  FETCH_MESSAGES: Type.Integer({
    default: 2048,
    minimum: 1,
    maximum: 4096,
    description: 'Messages of up to eight orders that may wait for their hosts at once in one process.',
  }),
  RUN_CONCURRENCY: Type.Integer({
    default: 8,
    minimum: 1,
    description:
      'Requests of one run under way at once, from all fetchers together, where the run does not say; at one host as many of them as it bears, found out by how it answers.',
  }),
  FETCH_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    description: 'Time for one fetch from its turn to the last byte, redirects of robots.txt included.',
  }),
  ...connecting,
  MAX_BODY_BYTES: Type.Integer({
    default: 20 * 1024 ** 2,
    minimum: 1024,
    description: 'Largest body that is fetched, in bytes as they come over the wire.',
  }),
  MAX_SITEMAP_BYTES: Type.Integer({
    default: 50 * 1024 ** 2,
    minimum: 1024,
    description: 'The same of a sitemap.',
  }),
  BODIES_IN_MEMORY: Type.Integer({
    default: 512 * 1024 ** 2,
    minimum: 1024 ** 2,
    description:
      'Bytes of large bodies (over 1 MiB) that one process reads at once; another one is read on when there is room, and small ones never wait for it.',
  }),
})
export type Settings = Static<typeof Settings>

/** Everything that can be set for the egress proxy. */
export const EgressSettings = Type.Object({
  ...egress,
  ...connecting,
  EGRESS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address that the egress proxy listens on.',
  }),
  EGRESS_PORT: Type.Integer({
    default: 3128,
    minimum: 0,
    maximum: 65_535,
    description: 'Its port; 0 takes a free one.',
  }),
  EGRESS_PASSWORD: Type.String({
    minLength: 16,
    description:
      'The password with which fetchers come in: `http://browser:PASSWORD@host:3128` is their EGRESS_PROXY.',
  }),
})
