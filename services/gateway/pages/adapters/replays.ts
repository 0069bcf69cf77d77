/** Requests from the extractor to read stored pages again. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { PagesReplayed, ReplayPages } from '@tidemark/contracts/rpc/replay'
import * as replayRpc from '@tidemark/contracts/rpc/replay'

/** Throws the extractor's `Refusal`, or `unavailable` if the extractor does not respond. */
export type Replays = (request: ReplayPages) => Promise<PagesReplayed>

/** Exceeds the time of a request, and that of its last page, which may wait for others. */
const timeoutMs = 75_000

export const openReplays =
  (bus: Bus): Replays =>
  request =>
    call(bus, replayRpc.replayPages, request, { timeoutMs })
