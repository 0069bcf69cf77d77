/** `GET /v1/cloud/balance` and `GET /v1/health/cloud`: what there is to get pages by, and what it has cost. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'

const balance = orNull(
  Type.Number({ description: 'In US dollars: 0 without a vendor, null where the vendor does not say.' }),
)

export const CloudBalance = Type.Object(
  {
    balance_usd: balance,
    currency: Type.Literal('USD', { description: 'Always this.' }),
    configured: Type.Boolean({ description: 'Whether there is a vendor who has a balance.' }),
  },
  { $id: 'CloudBalance' },
)
export type CloudBalance = Static<typeof CloudBalance>

export const CloudHealth = Type.Object(
  {
    configured: Type.Boolean({ description: 'Whether there is anything beyond plain HTTP to get pages by.' }),
    balance_usd: balance,
    last_24h: Type.Object(
      {
        cloud_pages: Type.Integer({ description: 'Cloud pages that were billed.' }),
        cloud_cost_usd: Type.Number({ description: 'What these have cost, in US dollars.' }),
      },
      { description: 'What the project has spent in the last 24 hours.' },
    ),
    backends: Type.Object(
      {
        browser: Type.Boolean({ description: 'A browser of this installation.' }),
        faithful: Type.Boolean({ description: 'A client that greets like a browser, down to TLS.' }),
        proxy_pools: Type.Array(Type.String(), {
          description: 'Pools of proxies, each with its countries.',
          examples: [['isp (DE, US)']],
        }),
        vendor: Type.Boolean({ description: "Somebody else's network of browsers and proxies." }),
        search: Type.Boolean({ description: 'An engine for `POST /v1/cloud/search`.' }),
      },
      { description: 'What is set up here.' },
    ),
  },
  { $id: 'CloudHealth' },
)
export type CloudHealth = Static<typeof CloudHealth>
