/**
 * A site with a real login: a form with a token, a session cookie for a part of the site, a second factor for one
 * member, and sessions that expire after a number of pages. The form of a rejected login repeats the password at a
 * position that an error may show.
 */
import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'

/** The response that the pages of members send to a visitor without a session. */
export type Gate = 'redirect' | 'status' | 'form'

export const member = { name: 'skipper', password: 'password-5d1f7c0a93e2' }
export const cautious = { name: 'cautious', password: member.password }

const words = 'High water comes twice a day, and each time a little later than the day before.'

export class Club {
  url = ''
  close = async () => {}
  /** All requests: path, and the session cookie if it was sent. */
  hits: { path: string; session: string | null }[] = []
  /** Number of successful logins. */
  logins = 0
  /** Number of pages that each session has read. */
  readonly sessions = new Map<string, number>()
  gate: Gate = 'redirect'
  /** Number of pages that a session may read. */
  lasts = 1e9
  /** Number of pages that each page links to. */
  pages = 12
  /** Milliseconds until a form is processed. */
  slowMs = 0
  readonly #server = http.createServer((request, response) => void this.#serve(request, response))
  readonly #linked: string

  private constructor(linked: string) {
    this.#linked = linked
  }

  /** Starts the site on this loopback address. Its pages also link to `linked`, and its app requests a file of it. */
  static async start(host: string, linked = ''): Promise<Club> {
    const club = new Club(linked)
    const { url, close } = await listening(club.#server, host)
    return Object.assign(club, { url, close })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url)
    const pairs = (request.headers.cookie ?? '').split('; ')
    const cookies = new Map(pairs.map(pair => pair.split('=', 2) as [string, string]))
    const session = cookies.get('sid') ?? null
    this.hits.push({ path: pathname, session })
    if (pathname === '/robots.txt') send(response, 404, '')
    else if (pathname === '/login' && request.method === 'POST')
      this.#logIn(response, await text(request), cookies.get('form'))
    else if (pathname === '/login') showForm(response, 'Sign in')
    else if (pathname.startsWith('/members/')) this.#show(response, pathname, session)
    else send(response, 200, `<h1>Open</h1><p>${words}</p>`)
  }

  #logIn(response: ServerResponse, body: string, token: string | undefined): void {
    const sent = new URLSearchParams(body)
    const isKnown = sent.get('password') === member.password && sent.get('token') === token
    if (!isKnown) showForm(response, `Rejected ${sent.get('password')}`)
    else if (sent.get('user') === cautious.name)
      send(response, 200, '<form><input name=code autocomplete=one-time-code> Code</form>', 'Check')
    else setTimeout(() => this.#admit(response), this.slowMs)
  }

  #admit(response: ServerResponse): void {
    const id = `session-${randomUUID()}`
    this.logins++
    this.sessions.set(id, 0)
    response.setHeader('set-cookie', [`sid=${id}; Path=/members; HttpOnly`, 'seen=1; Path=/; Max-Age=600'])
    response.writeHead(303, { location: '/members/' }).end()
  }

  #show(response: ServerResponse, path: string, session: string | null): void {
    const read = session === null ? undefined : this.sessions.get(session)
    if (session === null || read === undefined || read >= this.lasts) {
      this.#refuse(response, path)
      return
    }
    this.sessions.set(session, read + 1)
    const links = Array.from({ length: this.pages }, (_, n) => `<a href=/members/${n}>${n}</a>`).join(' ')
    const beyond = `<a href=/open/1>Open</a> <a href=/members/app>App</a> <a href="${this.#linked}/">Other</a>`
    if (path === '/members/data') send(response, 200, `<p>${words} Made by a script.</p>`)
    else if (path === '/members/app') send(response, 200, appWith(this.#linked), 'App')
    else
      send(response, 200, `<p id=account>You are logged in.</p><p>${words} ${links} ${beyond}</p>`, 'Member')
  }

  #refuse(response: ServerResponse, path: string): void {
    if (this.gate === 'status') send(response, 401, '<p>Members only.</p>')
    else if (this.gate === 'form') showForm(response, 'Sign in')
    else response.writeHead(302, { location: `/login?next=${encodeURIComponent(path)}` }).end()
  }
}

/** The script also requests a file of another site, with all cookies that the browser has for it. */
const appWith = (linked: string) => `<div id=root></div><script>
  fetch('${linked}/seen', { mode: 'no-cors', credentials: 'include' }).catch(() => {})
  fetch('/members/data').then(answer => answer.text()).then(text => { root.innerHTML = text })</script>`

function showForm(response: ServerResponse, title: string): void {
  const token = randomUUID()
  response.setHeader('set-cookie', `form=${token}; Path=/login; SameSite=Strict`)
  const fields = '<input name=user id=user><input type=password name=password id=password>'
  const hidden = `<input type=hidden name=token value=${token}>`
  const form = `<form id=login method=post action=/login>${fields}${hidden}<button>Go</button></form>`
  send(response, 200, form, title)
}

function send(response: ServerResponse, status: number, body: string, title = 'Club'): void {
  const head = `<!doctype html><title>${title}</title>`
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(head + body)
}
