/** `GET /v1/cloud/balance` and `GET /v1/health/cloud`: the configured backends and their cost. */
import { type Static, Type } from 'typebox'
import { described, orNull } from '../../primitives.ts'
import { warnings } from '../lists.ts'

const balance = orNull(
  Type.Number({ description: 'In US dollars; 0: no vendor; null: the vendor does not state it.' }),
)

export const CloudBalance = Type.Object(
  {
    balance_usd: balance,
    currency: Type.Literal('USD', { description: 'Always this value.' }),
    configured: Type.Boolean({ description: 'Whether there is a vendor with a balance.' }),
    warnings,
  },
  { $id: 'CloudBalance' },
)
export type CloudBalance = Static<typeof CloudBalance>

const CloudEngine = Type.Object(
  {
    configured: Type.Boolean({ description: 'Whether this installation has it configured.' }),
    setting: orNull(
      Type.String({ description: 'The setting that configures it; null: no setting is needed.' }),
    ),
  },
  { $id: 'CloudEngine' },
)

export const CloudHealth = Type.Object(
  {
    configured: Type.Boolean({
      description:
        'Whether a browser, a proxy pool or a vendor is configured. The client with the TLS fingerprint of a browser needs no setting, and does not count.',
    }),
    balance_usd: balance,
    last_24h: Type.Object(
      {
        cloud_pages: Type.Integer({ description: 'Cloud pages that were billed.' }),
        cloud_cost_usd: Type.Number({ description: 'Their cost in US dollars.' }),
      },
      { description: 'Usage of the project in the last 24 hours.' },
    ),
    backends: Type.Object(
      {
        browser: Type.Boolean({ description: 'A browser of this installation.' }),
        faithful: Type.Boolean({ description: 'A client with the TLS fingerprint of a browser.' }),
        proxy_pools: Type.Array(Type.String(), {
          description: 'Proxy pools, each with its countries.',
          examples: [['isp (DE, US)']],
        }),
        vendor: Type.Boolean({ description: "A vendor's network of browsers and proxies." }),
        search: Type.Boolean({ description: 'An engine for `POST /v1/cloud/search`.' }),
      },
      { description: 'The configured backends.' },
    ),
    engines: Type.Object(
      {
        faithful: described(CloudEngine, 'A client with the TLS fingerprint of a browser.'),
        browser: described(CloudEngine, 'A browser of this installation.'),
        proxy: described(CloudEngine, 'Pools of proxies.'),
        vendor: described(CloudEngine, "A vendor's network of browsers and proxies."),
        search: described(CloudEngine, 'An engine for `POST /v1/cloud/search`.'),
      },
      { description: 'The same for each engine, with the setting that it needs.' },
    ),
    warnings,
  },
  { $id: 'CloudHealth' },
)
export type CloudHealth = Static<typeof CloudHealth>
