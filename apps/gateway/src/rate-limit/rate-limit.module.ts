import { Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';
import { RateWindowsRepository } from './rate-windows.repository.js';

@Module({
  providers: [RateLimiter, RateWindowsRepository],
  exports: [RateLimiter],
})
export class RateLimitModule {}
