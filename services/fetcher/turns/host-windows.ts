/** The windows of the hosts that this process has asked lately: the longest unused is forgotten first. */
import { HostWindow } from '../domain/host-window.ts'

/** The window of a name: a host's, or one run's at it. */
export type HostWindows = (name: string) => HostWindow

const mostRemembered = 10_000

/** @param most requests at a host at once */
export function createHostWindows(most: number, remembered = mostRemembered): HostWindows {
  const windows = new Map<string, HostWindow>()

  return name => {
    const window = windows.get(name) ?? new HostWindow(most)
    windows.delete(name)
    windows.set(name, window)
    if (windows.size > remembered) forgetOldest()
    return window
  }

  /** Walks past those in use only, of which there are no more than requests. */
  function forgetOldest(): void {
    for (const [name, window] of windows) {
      if (!window.isIdle) continue
      windows.delete(name)
      return
    }
  }
}
