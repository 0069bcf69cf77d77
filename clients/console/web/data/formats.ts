/**
 * Formats of numbers and times for the reader, in the language of their browser. Each is made at its first use: a browser
 * needs some milliseconds for it, which would delay the first screen.
 */

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export const wholeNumberFormat = once(() => new Intl.NumberFormat())
/** For times of today. */
export const timeFormat = once(
  () => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
)
export const dateTimeFormat = once(
  () => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
)
