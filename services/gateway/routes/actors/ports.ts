/** What the actors need of the outside. */
import type { Actors } from '../../adapters/actors.ts'
import type { Contents } from '../../adapters/contents.ts'
import type { Metering } from '../../adapters/metering.ts'
import type { SeedPorts } from '../judge-seed.ts'

export type ActorPorts = SeedPorts & {
  actors: Actors
  contents: Pick<Contents, 'drop'>
  metering: Metering
}
