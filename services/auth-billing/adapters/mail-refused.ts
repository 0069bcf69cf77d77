/** The mail or its recipient will never be accepted, however often it is sent. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
  readonly code = 'MAIL_REFUSED'
  readonly responseCode: number | undefined

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.responseCode = (cause as { responseCode?: number }).responseCode
  }
}
