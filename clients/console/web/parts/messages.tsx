/** Errors as the API reported them, loading, and empty states with a command that works. */
import { ApiError } from '@tidemark/sdk'
import type { ComponentChildren } from 'preact'
import type { Reading } from '../data/reading.ts'
import { messageOf } from '../data/session.ts'

/** Shows the message of an error with its field, code and request id. */
export function Fault({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  const { code, reason, field, requestId, retryAfter } =
    error instanceof ApiError ? error : ({} as Partial<ApiError>)
  const facts = [
    field && `field ${field}`,
    code && (reason ? `${code} / ${reason}` : code),
    retryAfter && `retry after ${retryAfter} s`,
    requestId && `request ${requestId}`,
  ].filter(Boolean)
  return (
    <div class="fault" role="alert">
      <p>{messageOf(error)}</p>
      {facts.length > 0 && <p class="facts">{facts.join(' · ')}</p>}
    </div>
  )
}

/** Shows an error, or that the first result is on its way; afterwards nothing. */
export function Waiting({ reading, what }: { reading: Reading<unknown>; what: string }) {
  if (reading.error !== null) return <Fault error={reading.error} />
  if (reading.data !== null || !reading.isLoading) return null
  return (
    <p class="quiet" role="status">
      Loading {what} …
    </p>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Settings without an effect, and limits that a result has met. */
export function Warnings({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <ul class="notice list">
      {texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}
