/** scheduler: present on the bus. No monitor can be created yet, so nothing falls due. */
import { openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { readSettings } from '@tidemark/config/settings'
import { Settings } from './settings.ts'

const name = 'scheduler'

/** Rejects with SettingsError, or when the bus cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, _signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(beat(bus, { service: name, instance: settings.INSTANCE }))
  return started.move()
}
