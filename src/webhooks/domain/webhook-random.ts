/** What nobody can guess. */
export abstract class WebhookRandom {
  /** A new secret to sign with: `whsec_` and the base64 of 32 bytes. */
  abstract secret(): string;

  /** A new id of an event. */
  abstract eventId(): string;
}
