/** The ends of shares: addresses that show a crawl without a key. The share itself is sealed in its address. */
import { type Static, Type } from 'typebox'
import { Timestamp } from './primitives.ts'

/** The longest life of a share. */
export const maxShareHours = 720

/** By run id: shares that were made until this time have ended. `everyRun` is for the shares of all runs. */
export const SharesEnded = Type.Record(Type.String(), Timestamp)
export type SharesEnded = Static<typeof SharesEnded>

export const everyRun = '0'

/** Returns whether a share has been ended. `madeAt` is milliseconds since 1970. */
export const isShareEnded = (ended: SharesEnded | undefined, runId: number, madeAt: number): boolean =>
  [String(runId), everyRun].some(run => madeAt <= Date.parse(ended?.[run] ?? ''))
