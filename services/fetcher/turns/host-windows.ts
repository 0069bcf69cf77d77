/** The windows of the hosts that this process used recently. The least recently used is dropped first. */
import { HostWindow } from '../domain/host-window.ts'

/** The window of a name: a host's, or one run's at it. */
export type HostWindows = (name: string) => HostWindow

const maxRemembered = 10_000

/** @param most concurrent requests at a host */
export function createHostWindows(most: number, remembered = maxRemembered): HostWindows {
  const windows = new Map<string, HostWindow>()

  return name => {
    const window = windows.get(name) ?? new HostWindow(most)
    windows.delete(name)
    windows.set(name, window)
    if (windows.size > remembered) forgetOldest()
    return window
  }

  /** Skips windows in use, which are never more than the requests. */
  function forgetOldest(): void {
    for (const [name, window] of windows) {
      if (!window.isIdle) continue
      windows.delete(name)
      return
    }
  }
}
