/** Declares the settings of the fetcher and of the egress proxy. */

import { blocklistSettings } from '@tidemark/blocklist/settings'
import {
  connectionSettings,
  egressSettings,
  publicAddressSettings,
  redisSettings,
  secretsSettings,
} from '@tidemark/config/connections'
import { oneOf } from '@tidemark/contracts/primitives'
import { usualConcurrency } from '@tidemark/contracts/run-settings'
import { maxBodyBytes } from '@tidemark/contracts/work/fetch'
import { proxyPoolsFault, proxyPoolsFormat } from '@tidemark/http/proxy-pools'
import { signingSettings } from '@tidemark/http-signatures/settings'
import { type Static, Type } from 'typebox'
import { cloudSettings } from './settings-cloud.ts'

const connecting = {
  CONNECT_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'Time to resolve a name and open a connection.',
  }),
}

export const Settings = Type.Object({
  ...connectionSettings,
  ...redisSettings,
  ...egressSettings,
  ...secretsSettings,
  ...blocklistSettings,
  ...publicAddressSettings,
  ...signingSettings,
  ...cloudSettings,
  USER_AGENT: Type.String({
    default: 'Mozilla/5.0 (compatible; Tidemark/0.1; +https://tidemark.dev/bot)',
    description: 'User agent of the crawler if USER_AGENT_MODE is honest.',
  }),
  USER_AGENT_MODE: oneOf(['rotate', 'honest'], {
    default: 'rotate',
    description:
      'rotate: each run sends each host the headers of one current browser. honest: the crawler identifies itself by USER_AGENT. A user agent that a run sets replaces both.',
  }),
  BOT_AGENT_FORM: oneOf(['dictionary', 'string'], {
    default: 'dictionary',
    description:
      'Form of the header Signature-Agent in signed requests. dictionary: that of the current draft. string: that of drafts before October 2025, which [some sites](signed-requests.md#verify-a-request) still expect.',
  }),
  PROXY_POOLS: Type.String({
    default: '',
    check: proxyPoolsFault,
    description: `Proxies of this installation, by pool and country. ${proxyPoolsFormat}. Proxies may have private addresses; the pages fetched through them may not. A name must be fully qualified.`,
  }),
  FETCH_IN_FLIGHT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1024,
    description:
      'Concurrent requests of crawls in one process, over all runs. While others wait, one project has at most half of them. A quarter more is reserved for scans, maps and other synchronous requests.',
  }),
  HOST_CEILING: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 1024,
    description:
      'Concurrent requests of one process at one host, over all runs and scans, regardless of their concurrency. A run that has the host to itself may have twice as many. Addresses in EGRESS_ALLOW are exempt, because they are your own.',
  }),
  FETCH_MESSAGES: Type.Integer({
    default: 2048,
    minimum: 1,
    maximum: 4096,
    description: 'Messages of up to eight orders that may wait for their hosts in one process.',
  }),
  RUN_CONCURRENCY: Type.Integer({
    default: usualConcurrency,
    minimum: 1,
    description:
      'Concurrent requests of one run over all fetchers, if the run does not set concurrency. At each host the number adapts to its responses.',
  }),
  FETCH_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    description: 'Time for one fetch from its slot to the last byte, including redirects of robots.txt.',
  }),
  ...connecting,
  MAX_BODY_BYTES: Type.Integer({
    default: maxBodyBytes,
    minimum: 1024,
    description: 'Maximum size of a fetched body in bytes on the wire.',
  }),
  MAX_SITEMAP_BYTES: Type.Integer({
    default: 50 * 1024 ** 2,
    minimum: 1024,
    description: 'Maximum size of a sitemap in bytes on the wire.',
  }),
  BODIES_IN_MEMORY: Type.Integer({
    default: 512 * 1024 ** 2,
    minimum: 1024 ** 2,
    description:
      'Bytes of large bodies (over 1 MiB) that one process reads at once. Further large bodies wait; small ones never do.',
  }),
})
export type Settings = Static<typeof Settings>

/** Settings of the egress proxy. */
export const EgressSettings = Type.Object({
  ...egressSettings,
  ...connecting,
  EGRESS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address that the egress proxy listens on.',
  }),
  EGRESS_PORT: Type.Integer({
    default: 3128,
    minimum: 0,
    maximum: 65_535,
    description: 'Port that the egress proxy listens on; 0 selects a free port.',
  }),
  EGRESS_PASSWORD: Type.String({
    minLength: 16,
    description: 'Password of the fetchers, whose EGRESS_PROXY is `http://browser:PASSWORD@host:3128`.',
  }),
})
