/** Reads the current document from a script world that the page cannot access. */
import type { CDPSession } from 'playwright-core'
import { RenderError } from './render-error.ts'

/**
 * Evaluates to the document, or to its length if that exceeds the limit. `outerHTML` leaves out shadow roots, which
 * contain the text of web components. So open shadow roots are written as templates that declare them. Closed shadow
 * roots cannot be read.
 */
const documentWithin = (limit: number) => `(() => {
  const { doctype, documentElement: root } = document
  const head = doctype ? new XMLSerializer().serializeToString(doctype) : ''
  const trees = [document]
  for (const tree of trees)
    for (const { shadowRoot } of tree.querySelectorAll('*')) if (shadowRoot) trees.push(shadowRoot)
  const shadowRoots = trees.slice(1)
  const withShadowRoots = () => {
    const shell = root.cloneNode(false).outerHTML
    const end = shell.lastIndexOf('</')
    return shell.slice(0, end) + root.getHTML({ shadowRoots }) + shell.slice(end)
  }
  const isPlain = shadowRoots.length === 0 || document.contentType !== 'text/html'
  const html = head + (isPlain ? (root?.outerHTML ?? '') : withShadowRoots())
  return html.length > ${limit} ? html.length : html
})()`

/** Returns the current document as HTML. @throws RenderError `too_large` */
export async function readDocument(cdp: CDPSession, frameId: string, maxBytes: number): Promise<string> {
  const html = await evaluateApart<string | number>(cdp, frameId, documentWithin(maxBytes))
  const bytes = typeof html === 'number' ? html : Buffer.byteLength(html)
  if (typeof html === 'number' || bytes > maxBytes)
    throw new RenderError('too_large', { because: `${bytes} bytes where ${maxBytes} are allowed` })
  return html
}

/** Evaluates an expression isolated from the page's scripts, and returns its value, or that of its promise. */
export async function evaluateApart<T>(cdp: CDPSession, frameId: string, expression: string): Promise<T> {
  const { executionContextId: contextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'reader',
  })
  const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
    contextId,
    expression,
    returnByValue: true,
    awaitPromise: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.text)
  return result.value as T
}
