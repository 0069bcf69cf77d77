import type { Bus } from '@tidemark/bus/connection'
import type { App } from '../app.ts'
import { type Metering, openMetering } from './adapters/metering.ts'
import { installBilled } from './billed.ts'

/** Returns the metering that the routes of this scope must use. Call it before any of them is added. */
export const registerMetering = (app: App, { bus, now }: { bus: Bus; now: () => number }): Metering =>
  installBilled(app, openMetering(bus, now))
