/** The events of a webhook: events about the end of a crawl, and further notices. */
import { NoticeEvent, type SelectableEvent, type WebhookTarget } from '@tidemark/contracts/run-settings'

/** Returns `webhook_events` as they are stored, without duplicates. */
export function eventsOf(selected: readonly SelectableEvent[]): Pick<WebhookTarget, 'events' | 'notices'> {
  const unique = [...new Set(selected)]
  const notices = unique.filter(isNotice)
  return { events: unique.filter(event => !isNotice(event)), ...(notices.length > 0 && { notices }) }
}

/** Warning of a webhook without events. */
export const onlyFailures = 'webhook_events is empty: only failures are sent'

const isNotice = (event: SelectableEvent): event is NoticeEvent =>
  NoticeEvent.anyOf.some(({ const: name }) => name === event)
