/**
 * Acts on a page as a visitor does, before it is read. Each action waits in bounded time for its element, and the
 * first one that fails ends the job with its position. The page can be hostile: its navigation passes the same proxy.
 */
import type { Page } from 'playwright-core'
import type { PageAction } from './job.ts'
import type { Navigation } from './navigation.ts'
import { RenderError } from './render-error.ts'
import { valueWithin } from './within.ts'

/** Maximum milliseconds of one action. */
const maxMs = 10_000
/** Milliseconds for a navigation that an action has caused to begin. */
const beginsMs = 150

type Stage = {
  page: Page
  navigation: Navigation
  /** Time in ms since 1970 after which no action waits. */
  until: number
  /** Called by the action `screenshot`. */
  onPicture: () => Promise<void>
  /** Returns the name of the action at this position in errors. */
  nameOf: (at: number) => string
  /** Returns a sentence about the page for the error; empty without one. */
  describe: () => Promise<string>
}

/** @throws RenderError `action_failed` with the position of the action, which contains no value of a field */
export async function act(actions: readonly PageAction[], stage: Stage): Promise<void> {
  for (const [at, action] of actions.entries()) {
    const leftMs = stage.until - Date.now()
    const timeout = Math.min(maxMs, leftMs)
    try {
      if (leftMs <= 0) throw new Error('Timeout')
      await perform(action, stage, timeout)
      await navigated(stage)
      stage.navigation.check()
    } catch (error) {
      if (stage.page.isClosed()) throw error
      throw failed(stage.nameOf(at), action, error, timeout, await stage.describe())
    }
  }
}

async function perform(action: PageAction, { page, onPicture }: Stage, timeout: number): Promise<void> {
  const element = (selector: string) => page.locator(`css=${selector}`).first()
  switch (action.type) {
    case 'goto':
      return void (await page.goto(action.url, { waitUntil: 'domcontentloaded', timeout }))
    case 'click':
      return element(action.selector).click({ timeout })
    case 'fill':
      return element(action.selector).fill(action.value, { timeout })
    case 'press':
      return action.selector === undefined
        ? page.keyboard.press(action.key)
        : element(action.selector).press(action.key, { timeout })
    case 'wait_for':
      return element(action.selector).waitFor({ state: 'visible', timeout })
    case 'wait':
      return page.waitForTimeout(Math.min(action.ms, timeout))
    case 'screenshot':
      return onPicture()
  }
}

/** Waits for the document to which the action leads, if it leads to one. */
async function navigated({ page, navigation, until }: Stage): Promise<void> {
  const moved = navigation.moved()
  await valueWithin(beginsMs, moved, undefined)
  const leftMs = Math.min(maxMs, until - Date.now())
  if (navigation.isLeaving && leftMs > 0) await valueWithin(leftMs, moved, undefined)
  if (leftMs > 0) await page.waitForLoadState('domcontentloaded', { timeout: leftMs }).catch(() => {})
}

function failed(
  name: string,
  action: PageAction,
  error: unknown,
  timeoutMs: number,
  described: string,
): RenderError {
  const subject = 'selector' in action && action.selector !== undefined ? ` ${action.selector}` : ''
  const cause = causeOf(error, Math.max(0, Math.round(timeoutMs)))
  const because = `${name} (${action.type}${subject}) ${cause}`
  return new RenderError('action_failed', {
    because: described === '' ? because : `${because}. ${described}`,
    cause: pageFault(error),
  })
}

/** Returns the error of the page to which an action led, without the browser's message; undefined: it led to none. */
function pageFault(error: unknown): RenderError | undefined {
  if (error instanceof RenderError) return error
  return error instanceof Error && error.message.includes('net::ERR_')
    ? new RenderError(RenderError.from(error).code)
    : undefined
}

/** Returns the cause in our words: the messages of the browser contain the values of fields. */
function causeOf(error: unknown, timeoutMs: number): string {
  if (error instanceof RenderError) return `led to a page that failed: ${error.message}`
  const message = error instanceof Error ? error.message : String(error)
  // The messages of a wait say `element is not visible`, in lower case.
  if (/not an? <input>|Element is not an? |cannot be filled|does not have/.test(message))
    return 'found an element of another kind'
  if (/not a valid selector|SyntaxError|Unexpected token/i.test(message)) return 'has an invalid selector'
  const [, net] = /net::ERR_(\w+)/.exec(message) ?? []
  if (net !== undefined) return `failed: ${net.toLowerCase().replaceAll('_', ' ')}`
  if (!/Timeout/i.test(message)) return 'failed'
  const isFound = /locator resolved to|element is not|intercepts pointer events/i.test(message)
  return isFound
    ? `found its element, but could not use it within ${timeoutMs} ms`
    : `found no element within ${timeoutMs} ms`
}
