/**
 * Adds the facts about a run that other services append to its webhook and its site, as of a time. Their few events are
 * cached as a whole, because each is the complete state.
 */
import { compiledAtFirstUse } from '@tidemark/bus/codec'
import type { Commit } from '@tidemark/contracts/commit'
import { DeliveryEvent, deliveryAfter, type ShownDelivery } from '@tidemark/contracts/delivery'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { textOf } from '@tidemark/contracts/plain-text'
import { RunSiteEvent } from '@tidemark/contracts/run-site'
import { type Facet, subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { TSchema } from 'typebox'
import type { FairRead } from '../concurrency/fair-reads.ts'
import { prefixAsOf } from '../domain/past/prefix.ts'
import type { At } from './read-as-of.ts'
import { cachedByRun } from './run-cache.ts'

type Dated<T> = { at: string; value: T }
type SiteFacts = Pick<RunView, 'ai_bot_policy' | 'llms_txt' | 'llms_full_txt'>

const maxDeliveries = 200
/** The texts of a site have up to 128 KiB. */
const maxSites = 50

/** Returns the function that completes the view of a run. */
export function facetsAsOf(
  store: Pick<EventStore, 'last' | 'read'>,
  fairly: FairRead,
): (view: RunView, at: At) => Promise<RunView> {
  const deliveries = histories(
    store,
    { max: maxDeliveries, facet: 'webhook', fairly: fairly },
    isDelivery,
    deliveryAfter,
  )
  const sites = histories(store, { max: maxSites, facet: 'site', fairly: fairly }, isSite, siteFacts)

  return async (view, { time, ...run }) => {
    const delivery = lastAsOf(await deliveries(run), time)
    const site = lastAsOf(await sites(run), time)
    return { ...view, ...site, ...(delivery && shown(delivery)) }
  }
}

/**
 * Returns a cached reader of the states after each commit of a facet. Unknown events and foreign messages change
 * nothing.
 */
const histories = <Event, T>(
  store: Pick<EventStore, 'last' | 'read'>,
  cache: { max: number; facet: Facet; fairly: FairRead },
  isKnown: (event: unknown) => event is Event,
  stateAfter: (event: Event) => T,
) =>
  cachedByRun(store, cache, async ({ runId }) => {
    const states: Dated<T>[] = []
    const version = await store.read<Partial<Commit<unknown>> | null>(
      subjects.run(runId, cache.facet),
      async commits => {
        for (const { commit } of commits) {
          const { at, events } = commit ?? {}
          if (at === undefined || !Array.isArray(events)) continue
          const last = events.filter(isKnown).at(-1)
          if (last !== undefined) states.push({ at, value: stateAfter(last) })
        }
      },
    )
    return { version, value: states }
  })

function lastAsOf<T>(states: readonly Dated<T>[], time: number): T | null {
  const prefix = prefixAsOf(time)
  return states.filter(state => prefix.includes(state)).at(-1)?.value ?? null
}

const checked = <Event>(schema: TSchema) => {
  const validator = compiledAtFirstUse(schema)
  return (event: unknown): event is Event => validator().Check(event)
}

const isDelivery = checked<DeliveryEvent>(DeliveryEvent)
const isSite = checked<RunSiteEvent>(RunSiteEvent)

const shown = ({ status, attempts, lastError }: ShownDelivery) => ({
  webhook_status: status,
  webhook_attempts: attempts,
  webhook_last_error: textOf(lastError),
})

const siteFacts = ({ data: { aiBotPolicy, llmsTxt, llmsFullTxt } }: RunSiteEvent): SiteFacts => ({
  ai_bot_policy: aiBotPolicy,
  llms_txt: textOf(llmsTxt),
  llms_full_txt: textOf(llmsFullTxt),
})
