/** Thrown when the mail server rejects a mail or its recipient permanently, so that a retry is useless. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
  readonly code = 'MAIL_REFUSED'
  readonly responseCode: number | undefined

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.responseCode = (cause as { responseCode?: number }).responseCode
  }
}
