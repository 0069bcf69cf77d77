/** The settings of the gateway and its projector. */

import { blocklistSettings } from '@tidemark/blocklist/settings'
import { publicUrlFault, rangeFault } from '@tidemark/config/addresses'
import {
  connectionSettings,
  databaseSettings,
  egressSettings,
  publicAddressSettings,
  redisSettings,
  secretsSettings,
} from '@tidemark/config/connections'
import { timeStampingSettings } from '@tidemark/config/time-stamping'
import { objectStoreSettings } from '@tidemark/content/settings'
import { oneOf } from '@tidemark/contracts/primitives'
import { proxyPoolsFault } from '@tidemark/http/proxy-pools'
import { directorySettings, keyFault, signingSettings } from '@tidemark/http-signatures/settings'
import { Type } from 'typebox'
import { formerKeyFault } from './evidence/adapters/evidence-keys.ts'
import { originFault } from './http/domain/origin.ts'
import { profiles } from './http/domain/profile.ts'
import { proxyPricesFault } from './live-pages/domain/proxy-prices.ts'

const comparison = {
  DIFF_HASH: oneOf(['normalised', 'raw'], {
    default: 'normalised',
    description:
      'Changes that count between two crawls. normalised: changes that a reader notices. raw: every byte.',
  }),
}

const evidence = {
  EVIDENCE_KEY: Type.String({
    default: '',
    check: keyFault,
    description:
      'Ed25519 private key that signs the [evidence](evidence.md) of crawls, in the forms of BOT_KEY. `npm start` creates one. Empty: evidence is not signed.',
  }),
  EVIDENCE_KEYS_OLD: Type.Array(Type.String(), {
    default: [],
    check: formerKeyFault,
    description:
      'Public keys of former values of EVIDENCE_KEY as PEM, whose line breaks may be `\\n`, separated by commas. `/v1/evidence-keys` lists them after the current one. [Replace the key](evidence.md#replace-the-key).',
  }),
}

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ...redisSettings,
  ...egressSettings,
  ...secretsSettings,
  ...publicAddressSettings,
  ...signingSettings,
  ...directorySettings,
  ...evidence,
  ...timeStampingSettings,
  ...objectStoreSettings,
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; 0 selects a free one.',
  }),
  PORT_SHARED: Type.Boolean({
    default: false,
    description:
      'Lets several gateways of one user on one machine listen on the same port: the kernel distributes connections (SO_REUSEPORT, Linux). The launcher sets it if REPLICAS has more than one gateway.',
  }),
  DRAIN_MS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 120_000,
    description:
      'Time for which a gateway keeps serving after SIGTERM. It reports on /v1/ready and /readyz that it stops and closes each connection with its response, so that a load balancer can switch. Set it if there are several gateways.',
  }),
  TLS_CERT: Type.String({
    default: '',
    description:
      "PEM file of the gateway's certificate with its chain. With TLS_KEY the gateway serves HTTPS only. A renewed file is loaded within ten seconds.",
  }),
  TLS_KEY: Type.String({ default: '', description: 'PEM file of the private key of TLS_CERT.' }),
  CORS_ORIGINS: Type.Array(Type.String(), {
    default: [],
    check: originFault,
    description:
      'Origins of web pages that may call the API from a browser, such as https://app.example.com. * allows all, empty none.',
  }),
  MCP_HOSTS: Type.Array(Type.String(), {
    default: [],
    description:
      'Names of hosts under which MCP clients reach /mcp, beside localhost, the name in PUBLIC_URL and all IP addresses. Other values of Host are 403.',
  }),
  API_PROFILE: oneOf(['narrative', 'openapi'], {
    default: 'narrative',
    description: `Revision of the specification that responses follow where two differ: the narrative (${profiles.narrative.version}) or the machine-readable description (${profiles.openapi.version}).`,
  }),
  IDEMPOTENCY_STRICT: Type.Boolean({
    default: false,
    description:
      'true: an Idempotency-Key with another body is 422. false: the first result is returned with a warning.',
  }),
  DEPRECATION_STYLE: oneOf(['true', 'rfc9745'], {
    default: 'true',
    description: 'Value of the Deprecation header: true, or the time in the format of RFC 9745.',
  }),
  PAYMENT_SIGNATURE_HEADER: Type.String({
    default: 'Stripe-Signature',
    check: headerFault,
    description: "Header with the payment provider's signature. `Payment-Signature` is also accepted.",
  }),
  BODY_LIMIT: Type.Integer({
    default: 1024 ** 2,
    minimum: 1024,
    description: 'Maximum size of a request body in bytes. Larger bodies are 413.',
  }),
  REQUEST_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'Seconds within which a request must arrive completely, head and body. Later it is 408.',
  }),
  STALLED_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 3600,
    description:
      'A client that reads nothing of its response for this time, at most twice this time, is disconnected.',
  }),
  GATEWAY_POOL_SIZE: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of connections of a gateway to Postgres.',
  }),
  REQUEST_RATES: Type.Boolean({
    default: true,
    description:
      'Whether the request rates of the tiers apply. Keys of unlimited projects are always exempt. Set false for a gateway behind its own rate limiter.',
  }),
  TRUSTED_PROXIES: Type.Array(Type.String(), {
    default: [],
    check: rangeFault,
    description:
      'CIDRs of the reverse proxies in front of the gateway. X-Forwarded-For is accepted from these only.',
  }),
  ADMIN_KEY: Type.String({
    default: '',
    check: adminKeyFault,
    description:
      'Key of the operator for `/v1/operator/overview` and the [operator screen](operator.md) of the console: at least 32 characters, such as the result of `openssl rand -hex 32`. Empty: both do not exist. `npm start` creates one.',
  }),
  TRACES_URL: Type.String({
    default: '',
    check: publicUrlFault,
    description: 'Address of the user interface for traces, to which the operator screen links.',
  }),
  KEY_USES_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'Interval at which each gateway reports the last use of keys.',
  }),
  EVENT_STREAMS_PER_PROJECT: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100_000,
    description: 'Event streams (GET /v1/crawls/{id}/events) that a project may hold open at each gateway.',
  }),
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description:
      "Product token whose X-Robots-Tag applies to pages in an llms.txt: equal to the extractor's ROBOTS_TOKEN.",
  }),
  PROXY_POOLS: Type.String({
    default: '',
    check: proxyPoolsFault,
    description: "Proxy pools that crawls may use: equal to the fetcher's PROXY_POOLS.",
  }),
  PROXY_PRICES: Type.String({
    default: '',
    check: proxyPricesFault,
    description:
      'Prices of proxy traffic in US dollars a GB (10^9 bytes) by pool, as JSON such as `{"isp": 2.5, "residential": 8}`. Other pools are free.',
  }),
  CLOUD_CRAWL_TIMEOUT: Type.Integer({
    default: 110,
    minimum: 1,
    maximum: 600,
    description: 'Maximum seconds of POST /v1/cloud/crawl. It then returns the pages so far.',
  }),
  EXPORT_URL_SECONDS: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: 604_800,
    description: 'Lifetime of the signed address of an export. Each read of the export has a new one.',
  }),
  LINKCHECK_BLOCKED: oneOf(['excluded', 'broken'], {
    default: 'excluded',
    description:
      'Status of links in POST /v1/actors/check-links whose sites reject the crawler. A person may still be able to open them.',
  }),
  PROBE_DELAY_MS: Type.Integer({
    default: 100,
    minimum: 0,
    maximum: 60_000,
    description:
      'Milliseconds between two requests to a host by POST /v1/actors/check-links and POST /v1/actors/sitemap-audit.',
  }),
  PROBES_PER_HOST: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description: 'Concurrent requests to one host by one such call.',
  }),
  ...comparison,
  ...blocklistSettings,
})

export const ProjectorSettings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ...comparison,
  LOG_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: 'Days for which API calls (GET /v1/logs) and webhook attempts are kept.',
  }),
})

const minAdminKey = 32

function adminKeyFault(text: string): string | null {
  if (text === '') return null
  if (text.length < minAdminKey) return `must have at least ${minAdminKey} characters`
  if (/[^\x21-\x7e]/.test(text)) return 'must have visible ASCII characters only, and no spaces'
  return text.startsWith('tmk_') ? 'must not begin with tmk_, as keys of projects do' : null
}

function headerFault(text: string): string | null {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(text) ? null : 'must be the name of a header'
}
