/**
 * Prepares a page of any site for a sandboxed frame. The sandbox and the policy already forbid scripts, navigation and
 * requests. Elements that could start a request are also removed, because a policy does not cover all requests: a
 * browser may open a connection early for a `link` element.
 */

const removed =
  'script, style, link, meta, base, iframe, frame, frameset, object, embed, applet, portal, template, noscript, audio, video, source, track, animate, set, animateMotion, animateTransform'
/** Attributes with an address or code. */
const stripped =
  /^(?:on|src|style$|background$|poster$|ping$|action$|formaction$|data$|manifest$|href$|xlink:href$|autofocus$|target$)/i

/** Returns a whole document of the text and structure of the page, with our style sheet. */
export function harmless(html: string): string {
  // This document has no window: it runs and loads nothing.
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const element of page.querySelectorAll(removed)) element.remove()
  for (const element of page.querySelectorAll('*')) clean(element)
  const style = document.querySelector<HTMLMetaElement>('meta[name=frame-style]')?.content ?? ''
  const sheet = new URL(style, location.origin).href
  return `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${sheet}; form-action 'none'; base-uri 'none'"><meta charset="utf-8"><link rel="stylesheet" href="${sheet}"></head>${page.body?.outerHTML ?? ''}</html>`
}

function clean(element: Element): void {
  const address = element.localName === 'a' ? element.getAttribute('href') : null
  for (const { name } of [...element.attributes]) if (stripped.test(name)) element.removeAttribute(name)
  // The title shows the target of the link, which has lost its `href`.
  if (address !== null) element.setAttribute('title', address)
}
