/** All that a caller may learn of a call that failed. */
export const outboundFaults = ['unreachable', 'refused address', 'bad answer'] as const;
export type OutboundFault = (typeof outboundFaults)[number];

/** A call to an address of others failed. The message is for the log. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
