// A device of type "cuda" for a PyTorch without CUDA: its memory is the host's, its kernels are the CPU's.
//
// It keeps a GPU's rules: tensors of two devices do not mix, memory is limited, and what would make the host wait is
// an error where that is asked for.

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using c10::SymIntArrayRef;

const auto CARD = c10::Device(c10::DeviceType::CUDA, 0);
constexpr size_t HEADER = 64;  // before each block stands how large it is

int waiting_is_an_error = 0;
thread_local int depth = 0;  // above 0 in the copies that a kernel makes by itself
size_t used = 0, most = 0, capacity = size_t(1) << 33;

struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Device exchangeDevice(c10::Device) const override { return CARD; }
  c10::Device getDevice() const override { return CARD; }
  c10::Stream getStream(c10::Device) const noexcept override { return c10::Stream(c10::Stream::DEFAULT, CARD); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard)

struct Memory final : c10::Allocator {
  static void release(void* block) {
    if (!block) return;
    char* start = static_cast<char*>(block) - HEADER;
    used -= *reinterpret_cast<size_t*>(start);
    std::free(start);
  }
  c10::DataPtr allocate(size_t bytes) override {
    if (!bytes) return {nullptr, nullptr, &release, CARD};
    const bool fits = used + bytes <= capacity;
    TORCH_CHECK_WITH(OutOfMemoryError, fits, "CUDA out of memory. Tried to allocate ", bytes, " bytes");
    char* start = static_cast<char*>(std::aligned_alloc(HEADER, (bytes + 2 * HEADER - 1) / HEADER * HEADER));
    *reinterpret_cast<size_t*>(start) = bytes;
    used += bytes;
    most = std::max(most, used);
    return {start + HEADER, start + HEADER, &release, CARD};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};
Memory memory;
REGISTER_ALLOCATOR(c10::DeviceType::CUDA, &memory)

}  // namespace

namespace at {

struct CUDAHooks final : CUDAHooksInterface {  // the name that PyTorch asks its registry for
  explicit CUDAHooks(CUDAHooksArgs) {}
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  DeviceIndex current_device() const override { return 0; }
  DeviceIndex exchangeDevice(DeviceIndex) const override { return 0; }
  DeviceIndex maybeExchangeDevice(DeviceIndex) const override { return 0; }
  int getNumGPUs() const override { return 1; }
  Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
  Allocator* getCUDADeviceAllocator() const override { return &memory; }
};
REGISTER_CUDA_HOOKS(CUDAHooks)

}  // namespace at

namespace {

void host_waits_for(const std::string& what) {
  TORCH_CHECK(depth || !waiting_is_an_error, "called a synchronizing CUDA operation: ", what);
}

// The same memory as a tensor of the CPU.
Tensor on_cpu(const Tensor& tensor) {
  if (!tensor.is_cuda()) return tensor;
  c10::DataPtr data(tensor.storage().mutable_data(), c10::Device(c10::kCPU));
  c10::Storage storage(c10::Storage::use_byte_size_t(), tensor.storage().nbytes(), std::move(data), nullptr, false);
  auto out = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  out.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return out;
}

Tensor empty(SymIntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout>,
             std::optional<c10::Device>, std::optional<bool>, std::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &memory,
                                   c10::DispatchKeySet(c10::DispatchKey::CUDA), c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(SymIntArrayRef size, SymIntArrayRef stride, std::optional<c10::ScalarType> dtype,
                     std::optional<c10::Layout>, std::optional<c10::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), &memory,
                                           c10::DispatchKeySet(c10::DispatchKey::CUDA), c10::dtype_or_default(dtype));
}

Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking) {
  if (self.is_cpu()) host_waits_for("a copy to the host");
  if (source.is_cpu() && !non_blocking && source.numel()) host_waits_for("a blocking copy from the host");
  ++depth;
  on_cpu(self).copy_(on_cpu(source));
  --depth;
  return self;
}

Tensor copy_from(const Tensor& source, const Tensor& self, bool non_blocking) {
  Tensor to = self;
  return copy_(to, source, non_blocking);
}

const Tensor& resize_(const Tensor& self, SymIntArrayRef size, std::optional<c10::MemoryFormat>) {
  auto* tensor = self.unsafeGetTensorImpl();
  tensor->set_sizes_contiguous(C10_AS_INTARRAYREF_SLOW(size));
  auto* storage = tensor->unsafe_storage().unsafeGetStorageImpl();
  const size_t bytes = (tensor->storage_offset() + tensor->numel()) * tensor->itemsize();
  if (bytes > storage->nbytes()) {
    auto larger = memory.allocate(bytes);
    std::memcpy(larger.get(), storage->data(), storage->nbytes());
    storage->set_data_ptr_noswap(std::move(larger));
    storage->set_nbytes(bytes);
  }
  return self;
}

Tensor copy_from_and_resize(const Tensor& source, const Tensor& self) {
  if (self.sizes() != source.sizes()) self.resize_(source.sizes());
  return copy_from(source, self, true);
}

c10::Scalar item(const Tensor& self) {
  host_waits_for("item");
  return at::_local_scalar_dense(on_cpu(self));
}

Tensor as_strided(const Tensor& self, SymIntArrayRef size, SymIntArrayRef stride, std::optional<c10::SymInt> offset) {
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                           offset ? std::make_optional(offset->expect_int()) : std::nullopt);
}

Tensor view(const Tensor& self, SymIntArrayRef size) { return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size)); }

Tensor reshape_alias(const Tensor& self, SymIntArrayRef size, SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

Tensor& set_storage(Tensor& self, c10::Storage source, c10::SymInt offset, SymIntArrayRef size, SymIntArrayRef stride) {
  auto* tensor = self.unsafeGetTensorImpl();
  tensor->set_storage_keep_dtype(std::move(source));
  tensor->set_sizes_and_strides(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), offset.expect_int());
  return self;
}

Tensor& set_tensor(Tensor& self, const Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), c10::fromIntArrayRefSlow(source.sizes()),
                     c10::fromIntArrayRefSlow(source.strides()));
}

// What a GPU must have ended before the host knows how large the result is.
const std::set<std::string> SIZE_FROM_NUMBERS = {
    "aten::nonzero", "aten::masked_select", "aten::equal", "aten::_unique2", "aten::unique_dim",
    "aten::unique_consecutive", "aten::bincount", "aten::repeat_interleave", "aten::is_nonzero"};
// What reads indices or lengths of the CPU beside tensors of the GPU.
const std::set<std::string> READS_THE_HOST = {
    "aten::_pack_padded_sequence", "aten::_pack_padded_sequence_backward", "aten::_pad_packed_sequence",
    "aten::index", "aten::index_put_", "aten::_index_put_impl_"};

void demand_one_device(const std::string& name, const Tensor& tensor) {
  const bool mixed = tensor.defined() && tensor.is_cpu() && tensor.dim() > 0 && !READS_THE_HOST.count(name);
  TORCH_CHECK(!mixed, "Expected all tensors to be on the same device, but found cpu and cuda:0 in ", name);
}

void look_at_index(const std::string& name, const Tensor& index) {
  if (!index.defined()) return;
  if (index.is_cpu()) host_waits_for(name + " with indices of the CPU");
  if (index.scalar_type() == at::kBool) host_waits_for(name + " with a mask");
}

// Every other operation: the CPU's kernel on the same memory.
void by_the_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string& name = op.schema().name();
  if (SIZE_FROM_NUMBERS.count(name)) host_waits_for(name);
  for (const auto& value : torch::jit::last(*stack, op.schema().arguments().size())) {
    if (value.isTensor()) demand_one_device(name, value.toTensor());
    if (value.isTensorList())
      for (const Tensor& tensor : value.toTensorVector()) demand_one_device(name, tensor);
    if (value.isOptionalTensorList())
      for (const std::optional<Tensor>& index : value.toOptionalTensorVector())
        if (index) look_at_index(name, *index);
  }
  ++depth;
  try {
    at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
  } catch (...) {
    --depth;
    throw;
  }
  --depth;
}

}  // namespace

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&by_the_cpu>()); }

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("copy_", copy_);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("resize_", resize_);
  m.impl("_local_scalar_dense", item);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Tensor", set_tensor);
}

extern "C" {
void set_waiting_is_an_error(int error) { waiting_is_an_error = error; }
size_t bytes_used() { return used; }
size_t bytes_used_at_most() { return most; }
size_t bytes_in_all() { return capacity; }
}
