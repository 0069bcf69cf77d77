/** The tier that a test runs in: `npm test`, or `npm run test:full`, which sets TEST_TIER=full. */

export const isFullTier: boolean = process.env.TEST_TIER === 'full'

/** Returns the size of a test: the usual size finds a regression within seconds. */
export const sized = (usual: number, full: number): number => (isFullTier ? full : usual)
