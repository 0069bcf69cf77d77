/** Keeps the windows of the hosts that this process used recently. The least recently used is dropped first. */
import { HostWindow } from '../domain/host-window.ts'

/** Returns the window of a name: a host, or a host and a run. */
export type HostWindows = (name: string) => HostWindow

const maxWindows = 10_000

/**
 * Returns an empty set of windows.
 * @param maxLimit maximum concurrent requests at a host
 */
export function createHostWindows(maxLimit: number): HostWindows {
  const windows = new Map<string, HostWindow>()

  return name => {
    const window = windows.get(name) ?? new HostWindow(maxLimit)
    windows.delete(name)
    windows.set(name, window)
    if (windows.size > maxWindows) dropOldest()
    return window
  }

  /** Drops the least recently used window without requests. No more windows are in use than there are requests. */
  function dropOldest(): void {
    for (const [name, window] of windows) {
      if (!window.isIdle) continue
      windows.delete(name)
      return
    }
  }
}
