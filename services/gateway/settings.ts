/** What the gateway and its projector can be told from outside. */

import { blocklist } from '@tidemark/blocklist/settings'
import { rangeFault } from '@tidemark/config/addresses'
import {
  connections,
  databaseConnection,
  egress,
  redisConnection,
  secrets,
} from '@tidemark/config/connections'
import { objectStore } from '@tidemark/content/settings'
import { proxyPoolsFault } from '@tidemark/http/proxy-pools'
import { Type } from 'typebox'
import { proxyPricesFault } from './domain/cloud/proxy-prices.ts'
import { originFault } from './domain/origin.ts'

const comparison = {
  DIFF_HASH: Type.Union([Type.Literal('normalised'), Type.Literal('raw')], {
    default: 'normalised',
    description:
      'By what a page counts as changed between two crawls: what a reader would notice of it, or every byte.',
  }),
}

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...redisConnection,
  ...egress,
  ...secrets,
  ...objectStore,
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; 0 takes a free one.',
  }),
  PORT_SHARED: Type.Boolean({
    default: false,
    description:
      'Lets several gateways of one user on one machine listen on the same port: the kernel deals connections out among them (SO_REUSEPORT, Linux). The launcher sets it where REPLICAS has more than one gateway.',
  }),
  DRAIN_MS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 120_000,
    description:
      'For so long a gateway that is told to stop serves on, while it says on /v1/ready and /readyz that it stops and closes each connection with its answer: what a balancer needs to choose another. To be set where there are several gateways; each process reads it.',
  }),
  TLS_CERT: Type.String({
    default: '',
    description:
      'PEM file of the certificate that the gateway shows, with those that vouch for it; with TLS_KEY it speaks HTTPS and nothing else. A renewed file is taken within ten seconds.',
  }),
  TLS_KEY: Type.String({ default: '', description: 'PEM file of the private key to TLS_CERT.' }),
  CORS_ORIGINS: Type.Array(Type.String(), {
    default: [],
    check: originFault,
    description:
      'Origins of web pages that may call the API from a browser, such as https://app.example.com; * is all of them. Empty: none.',
  }),
  API_PROFILE: Type.Union([Type.Literal('narrative'), Type.Literal('openapi')], {
    default: 'narrative',
    description:
      'The revision of the specification that answers follow where two differ: its narrative (0.5.0), or its machine-readable description (0.4.1), all at once.',
  }),
  IDEMPOTENCY_STRICT: Type.Boolean({
    default: false,
    description:
      'Whether an Idempotency-Key that comes back with another body is refused with 422; else what it started is returned, with a warning.',
  }),
  DEPRECATION_STYLE: Type.Union([Type.Literal('true'), Type.Literal('rfc9745')], {
    default: 'true',
    description: 'What the Deprecation header says: true, or the time as RFC 9745 has it.',
  }),
  PUBLIC_URL: Type.String({
    default: '',
    check: publicUrlFault,
    description:
      'Where people reach this installation, such as `https://api.example.com`: links to checkouts and links in mails begin with it. Unset: the address that the gateway listens on.',
  }),
  PAYMENT_SIGNATURE_HEADER: Type.String({
    default: 'Stripe-Signature',
    check: headerFault,
    description:
      'The header in which the payment provider signs its events; `Payment-Signature` is read too.',
  }),
  BODY_LIMIT: Type.Integer({
    default: 1024 ** 2,
    minimum: 1024,
    description: 'Bytes of a request body, beyond which it is answered 413.',
  }),
  REQUEST_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'Seconds within which a request must have arrived, head and body; else it is answered 408.',
  }),
  STALLED_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 3600,
    description:
      'A client that takes nothing of its answer for so many seconds, at most twice as many, is cut off.',
  }),
  GATEWAY_POOL_SIZE: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description: 'Most connections of a gateway to Postgres.',
  }),
  REQUEST_RATES: Type.Boolean({
    default: true,
    description:
      "Whether projects are held to their tier's rate of requests. Unlimited projects never are; false is for a gateway behind a limiter of its own.",
  }),
  TRUSTED_PROXIES: Type.Array(Type.String(), {
    default: [],
    check: rangeFault,
    description:
      'CIDRs of the reverse proxies in front of the gateway: what they say in X-Forwarded-For is believed, nobody else.',
  }),
  KEY_USES_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'So often each gateway tells when keys were last used.',
  }),
  EVENT_STREAMS_PER_PROJECT: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 100_000,
    description:
      'Streams of events (GET /v1/crawls/{id}/events) that a project may hold open at each gateway.',
  }),
  PROXY_POOLS: Type.String({
    default: '',
    check: proxyPoolsFault,
    description: "What crawls may ask for of the fetcher's PROXY_POOLS: to be the same.",
  }),
  PROXY_PRICES: Type.String({
    default: '',
    check: proxyPricesFault,
    description:
      'What the bytes of proxies are billed at, in US dollars a GB (10^9 bytes) by pool, as JSON such as `{"isp": 2.5, "residential": 8}`. A pool that is not named costs nothing.',
  }),
  CLOUD_CRAWL_TIMEOUT: Type.Integer({
    default: 110,
    minimum: 1,
    maximum: 600,
    description: 'Seconds that POST /v1/cloud/crawl takes at most: what it has by then, it answers.',
  }),
  LINKCHECK_BLOCKED: Type.Union([Type.Literal('excluded'), Type.Literal('broken')], {
    default: 'excluded',
    description:
      'How POST /v1/actors/check-links counts links whose sites turn us away: a person who clicks may well be let in.',
  }),
  PROBE_DELAY_MS: Type.Integer({
    default: 100,
    minimum: 0,
    maximum: 60_000,
    description:
      'Milliseconds between two requests to a host where many addresses are asked whether they are there (POST /v1/actors/check-links, POST /v1/actors/sitemap-audit).',
  }),
  PROBES_PER_HOST: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description: 'Addresses of one host that are asked so at once, by one request.',
  }),
  ...comparison,
  ...blocklist,
})

export const ProjectorSettings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...comparison,
  LOG_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description:
      'Days for which the calls of the API (GET /v1/logs) and every attempt to tell a webhook are kept.',
  }),
})

function publicUrlFault(text: string): string | null {
  const isHttp = ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
  return text === '' || isHttp ? null : 'must be a URL that begins with http:// or https://'
}

function headerFault(text: string): string | null {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(text) ? null : 'must be the name of a header'
}
