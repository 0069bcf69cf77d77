/** Defines the data of each event, and the type of the tables of changes: how an event changes a running run. */
import type { RunEvent, RunEventData } from '@tidemark/contracts/run'
import type { Running } from '../run.ts'

type Name = RunEvent['type']
export type Changes = { [N in Name]?: (run: Running, data: RunEventData<N>, at: string) => void }
