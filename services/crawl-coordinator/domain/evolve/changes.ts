/** Defines the data of each event, and the type of the tables of changes: how an event changes a running run. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { Running } from '../run.ts'

type Name = RunEvent['type']
export type Data<N extends Name> = Extract<RunEvent, { type: N }>['data']
export type Changes = { [N in Name]?: (run: Running, data: Data<N>, at: string) => void }
