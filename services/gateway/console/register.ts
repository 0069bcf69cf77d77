/** Registers the web console: its files, its sign-in, and its way to the API. */
import type { App } from '../app.ts'
import { openBuiltFiles } from './adapters/built-files.ts'
import { fileRoutes } from './files.ts'
import { installRelay } from './relay.ts'
import { type SessionPorts, sessionRoutes } from './session.ts'

/** Call it before the routes that require a key. */
export function registerConsole(app: App, ports: SessionPorts): void {
  installRelay(app, ports)
  fileRoutes(app, openBuiltFiles())
  sessionRoutes(app, ports)
}
