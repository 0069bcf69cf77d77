/** The text of a request body, by which repeated requests are recognized. */

/** Returns the JSON with the fields of each object in order, so that equal requests are equal texts. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
