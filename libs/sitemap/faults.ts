/** Faults of sitemaps, in the words for the part that is left out. Other parts are left out at a limit. */
export const faults = { kind: 'it is not a sitemap', end: 'the part after its premature end' } as const

/** Returns whether a part was left out because of a fault. */
export const isFault = (cut: string | null): boolean => cut === faults.kind || cut === faults.end
