/** Every procedure between services. The permissions on the bus are derived from these. */
import * as accounts from './accounts.ts'
import * as actors from './actors.ts'
import * as asOf from './as-of.ts'
import * as batches from './batches.ts'
import * as checkLink from './check-link.ts'
import * as cloud from './cloud.ts'
import * as content from './content.ts'
import * as explain from './explain.ts'
import * as exports from './exports.ts'
import * as fetch from './fetch.ts'
import * as forget from './forget.ts'
import * as judge from './judge.ts'
import * as keys from './keys.ts'
import * as linkGraph from './link-graph.ts'
import * as mails from './mails.ts'
import * as map from './map.ts'
import * as model from './model.ts'
import * as monitors from './monitors.ts'
import * as operator from './operator.ts'
import * as policy from './policy.ts'
import * as replay from './replay.ts'
import type { Rpc } from './rpc.ts'
import * as runs from './runs.ts'
import * as scrapers from './scrapers.ts'
import * as search from './search.ts'
import * as signup from './signup.ts'
import * as siteAudit from './site-audit.ts'
import * as sitemaps from './sitemaps.ts'
import * as timeStamp from './time-stamp.ts'
import * as transform from './transform.ts'
import * as usage from './usage.ts'
import * as webhook from './webhook.ts'

const areas = [
  ...[
    accounts,
    actors,
    asOf,
    batches,
    checkLink,
    cloud,
    content,
    explain,
    exports,
    fetch,
    forget,
    judge,
    keys,
    linkGraph,
    mails,
    map,
    model,
  ],
  ...[
    monitors,
    operator,
    operator.lags,
    policy,
    replay,
    runs,
    runs.reached,
    scrapers,
    search,
    signup,
    siteAudit,
    sitemaps,
    timeStamp,
    transform,
    usage,
    webhook,
  ],
]

export const rpcs: readonly Rpc[] = areas.flatMap(area => Object.values<unknown>(area).filter(isRpc))

function isRpc(value: unknown): value is Rpc {
  return typeof value === 'object' && value !== null && 'callers' in value && 'server' in value
}
