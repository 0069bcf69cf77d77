/** The tier that a test runs in: `npm test`, or `npm run test:full`, which sets TEST_TIER=full. */

export const isFullTier: boolean = process.env.TEST_TIER === 'full'

/** Returns how much a test repeats: what finds a regression within seconds, or all that was promised. */
export const sized = (usual: number, full: number): number => (isFullTier ? full : usual)
